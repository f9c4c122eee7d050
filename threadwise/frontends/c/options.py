"""What a user can say about reading C."""

from threadwise.core.c_options import COptions, DataModel

__all__ = ["COptions", "DataModel"]
