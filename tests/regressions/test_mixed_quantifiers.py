"""An invariant that one engine cannot handle does not keep it from the other properties."""

import threadwise
from threadwise import Verdict

PROGRAM = """
int[0..1] x;
thread c[*] { skip; }
invariant z: !(forall i: c. false);
"""


def test_the_other_properties_are_proved() -> None:
    result = threadwise.check(PROGRAM, engine="thread-modular", in_process=True)
    verdicts = {checked.name: checked.verdict for checked in result.properties}
    assert verdicts == {"range": Verdict.SAFE, "mutex": Verdict.SAFE, "z": Verdict.UNKNOWN}
