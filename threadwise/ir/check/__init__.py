"""Well-formedness: `validate` is the entrance, the others check types, terms and edges."""
