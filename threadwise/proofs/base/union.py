"""All kinds of certificates."""

from __future__ import annotations

from typing import TypeAlias

from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)

Certificate: TypeAlias = (
    StateSetCertificate
    | LocksetCertificate
    | PersistentCertificate
    | ThreadModularCertificate
    | PushdownCertificate
    | FrontierCertificate
    | SymmetricCertificate
    | ReductionCertificate
    | SummaryCertificate
    | CountingCertificate
    | InterleavingsCertificate
    | RepresentativesCertificate
    | ForgettingCertificate
    | FollowingCertificate
    | SplitCertificate
    | FormulaCertificate
)
