import pickle

import pytest

from threadwise.core.errors import (
    BudgetExhausted,
    InputError,
    InternalError,
    Resource,
    ThreadwiseError,
    Unsupported,
)
from threadwise.core.source import Span

SPAN = Span.at("f.c", 3, 7)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InputError.of("expected `;`", SPAN, hint="add it"), "f.c:3:7: error: expected `;`"),
        (Unsupported("inline assembly", SPAN), "f.c:3:7: unsupported: inline assembly"),
        (Unsupported("signals"), "unsupported: signals"),
        (BudgetExhausted("too deep"), "too deep"),
        (BudgetExhausted("time limit", Resource.TIME), "time limit"),
        (InternalError("refuted", {"ir": "program"}), "refuted"),
    ],
)
def test_errors_have_a_text_and_survive_pickling(error: ThreadwiseError, text: str) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert str(error) == str(copy) == text
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)
