"""The one version number, read by the build and by both packages."""

__version__ = "0.1.0"
