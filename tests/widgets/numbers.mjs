// Reads [[x, how, mode or signed], ...] from standard input, writes each as the explorer writes it.
import { readFileSync } from "node:fs";
const { formatProbability, formatCell, formatNumber } = await import(process.argv[2]);
const write = {
  probability: (x, mode) => formatProbability(x, mode),
  cell: (x, mode) => formatCell(x, mode),
  number: (x, signed) => formatNumber(x, 2, signed),
};
const asked = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(asked.map(([x, how, option]) => write[how](x, option))));
