"""Invariants: formulas over the shared variables and over quantified threads.

A formula whose value is undefined in some state (an index out of bounds, say) is violated there:
what must hold for it to be defined becomes part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from threadwise.frontends.model.lowering.survey import Survey
from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.expressions import Expressions
from threadwise.frontends.model.typing.symbols import BROKEN, Symbols
from threadwise.frontends.model.typing.typed import Check, Typed, TypedPlace
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AtLabel,
    Expr,
    Quantified,
    Quantifier,
    Read,
    Scope,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, root


def exposed_locals(formula: ast.Expression) -> Iterator[tuple[str, str]]:
    """The template and name of each local that a formula mentions as `thread.local`."""
    pending: list[tuple[ast.Expression, dict[str, str]]] = [(formula, {})]
    while pending:
        node, bound = pending.pop()
        match node:
            case ast.Quantified(_, bindings, body):
                inner = {b.name.name: b.template.name for b in bindings}
                pending.append((body, {**bound, **inner}))
            case ast.Member(ast.Name(thread), name) if thread in bound:
                yield bound[thread], name.name
            case ast.Infix(_, left, right):
                pending += [(left, bound), (right, bound)]
            case ast.Prefix(_, inner_node) | ast.Parenthesised(inner_node):
                pending.append((inner_node, bound))
            case ast.Index(base, index):
                pending += [(base, bound), (index, bound)]
            case ast.Conditional(condition, then, otherwise):
                pending += [(part, bound) for part in (condition, then, otherwise)]
            case ast.Call(_, arguments):
                pending += [(argument, bound) for argument in arguments]
            case _:
                pass


class Formulas(Expressions):
    """Translates invariants; `locals_of` has the exposed locals of each template."""

    def __init__(
        self,
        symbols: Symbols,
        reporter: Reporter,
        survey: Survey,
        locals_of: Mapping[str, Mapping[str, Variable]],
    ) -> None:
        super().__init__(symbols, reporter)
        self.survey = survey
        self.locals_of = locals_of
        self._threads: dict[str, ThreadVariable] = {}

    def formula(self, node: ast.Expression) -> Expr | None:
        """The whole formula, with what it needs to be defined."""
        while isinstance(node, ast.Parenthesised):
            node = node.inner
        if isinstance(node, ast.Quantified) and node.quantifier == Quantifier.FORALL.value:
            return self._quantify(node, self.formula)
        typed = self.condition(node)
        if typed is None:
            return None
        return conjunction((*(check for check, _ in typed.checks), typed.expr))

    # Quantifiers.

    def _quantified(self, node: ast.Quantified) -> Typed | None:
        """A quantifier inside a formula; what its body needs must hold for all threads."""
        checks: list[Check] = []

        def inside(body: ast.Expression) -> Expr | None:
            typed = self.condition(body)
            if typed is None:
                return None
            checks.extend(typed.checks)
            return typed.expr

        formula = self._quantify(node, inside)
        if formula is None:
            return None
        variables = tuple(self._bound(binding) for binding in node.bindings)
        lifted = tuple(
            (Quantified(Quantifier.FORALL, variables, check), message) for check, message in checks
        )
        return Typed(formula, lifted)

    def _quantify(
        self, node: ast.Quantified, inside: Callable[[ast.Expression], Expr | None]
    ) -> Expr | None:
        """The quantified formula; directly nested quantifiers of one kind become one."""
        quantifier = Quantifier(node.quantifier)
        hidden = dict(self._threads)
        known = [self._bind(binding, quantifier) for binding in node.bindings]
        body = inside(node.body) if all(known) else None
        self._threads = hidden
        if body is None:
            return None
        variables = tuple(self._bound(binding) for binding in node.bindings)
        if isinstance(body, Quantified) and body.quantifier is quantifier:
            return Quantified(quantifier, (*variables, *body.variables), body.body)
        return Quantified(quantifier, variables, body)

    @staticmethod
    def _bound(binding: ast.Binding) -> ThreadVariable:
        return ThreadVariable(binding.name.name, binding.template.name)

    def _bind(self, binding: ast.Binding, quantifier: Quantifier) -> bool:
        name, template = binding.name, self.symbols.templates.get(binding.template.name)
        if template is None:
            known = self.symbols.templates
            self.reporter.unknown(binding.template, "thread", binding.template.name, known)
            return False
        if quantifier is Quantifier.EXISTS and template.count is None:
            self.reporter.error(
                binding.template,
                f"`exists` cannot range over `{template.name}[*]`",
                "only over threads of a fixed number",
            )
            return False
        if name.name in self._threads:
            self.reporter.error(name, f"`{name.name}` already stands for a thread here")
            return False
        self._threads[name.name] = self._bound(binding)
        return True

    # What threads look like from outside.

    def _name(self, node: ast.Name) -> Typed | None:
        thread = self._threads.get(node.name)
        return super()._name(node) if thread is None else Typed(thread)

    def _unknown(self, node: ast.Name, kind: str) -> None:
        known = [*self._threads, *self.symbols.constants, *self.symbols.variables]
        self.reporter.unknown(node, kind, node.name, known)

    def _self_thread(self, node: ast.SelfThread) -> Typed | None:
        self.reporter.error(node, "`self` has no meaning in an invariant", "use `forall i: …`")
        return None

    def _call(self, node: ast.Call) -> Typed | None:
        name = node.name.name
        if name == "at":
            return self._at(node)
        if name == "holds":
            hint = "write `m == i` for a thread `i`"
            self.reporter.error(node, "`holds` has no meaning in an invariant", hint)
            return None
        return super()._call(node)

    def _at(self, node: ast.Call) -> Typed | None:
        if len(node.arguments) != 2:
            self.reporter.error(node, "`at` takes a thread and a label")
            return None
        thread = self._thread(node.arguments[0])
        if thread is None:
            return None
        match node.arguments[1]:
            case ast.Name() as label:
                procedure = thread.template
            case ast.Member(ast.Name(procedure), label):
                if procedure not in self.survey.bodies:
                    known = self.survey.bodies
                    self.reporter.unknown(node.arguments[1], "procedure", procedure, known)
                    return None
            case other:
                self.reporter.error(other, "expected a label or `procedure.label`")
                return None
        return self._at_label(thread, procedure, label)

    def _at_label(self, thread: ThreadVariable, procedure: str, label: ast.Name) -> Typed | None:
        labels = self.survey.bodies[procedure].labels
        place = labels.get(label.name)
        if place is None:
            what = f"label `{label.name}` in `{procedure}`"
            self.reporter.error(label, f"unknown {what}", self.reporter.near(label.name, labels))
            return None
        if not place.visible or procedure in self.survey.only_inlined:
            self.reporter.error(
                label,
                f"no thread can be seen at `{label.name}`: it is inside an atomic block",
                notes=[("the label is here", place.name)],
            )
            return None
        return Typed(AtLabel(thread, procedure, label.name))

    def _thread(self, node: ast.Expression) -> ThreadVariable | None:
        if isinstance(node, ast.Name) and node.name in self._threads:
            return self._threads[node.name]
        text = self.reporter.text(node)
        hint = self.reporter.near(text, self._threads)
        self.reporter.error(node, f"`{text}` is not a thread of a quantifier", hint)
        return None

    def _member(self, node: ast.Member) -> Typed | None:
        return self._read(node)

    def place(self, node: ast.Expression) -> TypedPlace | None:
        """A shared variable, a local of a quantified thread, or an element of one."""
        if not isinstance(node, ast.Member):
            return super().place(node)
        if isinstance(node.base, ast.SelfThread):
            self._self_thread(node.base)
            return None
        thread = self._thread(node.base)
        if thread is None:
            return None
        found = self.locals_of[thread.template]
        variable = found.get(node.name.name)
        if variable is BROKEN:
            return None
        if variable is None:
            self._no_local(thread, node)
            return None
        return TypedPlace(VariablePlace(variable))

    def _no_local(self, thread: ThreadVariable, node: ast.Member) -> None:
        name = node.name.name
        template = self.symbols.templates[thread.template]
        declared = [p.name.name for p in template.syntax.parameters or ()]
        declared += [
            statement.name.name
            for statement in template.syntax.body.statements
            if isinstance(statement, ast.Declaration)
        ]
        hint = (
            self.reporter.near(name, declared) or "only locals at the top of a thread can be used"
        )
        message = f"thread `{thread.template}` has no local `{name}`"
        self.reporter.error(node.name, message, hint)

    def _content(self, place: TypedPlace, node: ast.Expression) -> Typed | None:
        typed = super()._content(place, node)
        if typed is None or not isinstance(typed.expr, Read):
            return typed
        base = root(place.place)
        assert isinstance(base, VariablePlace)
        if base.variable.scope is not Scope.THREAD:
            return typed
        owner = self._owner(node)
        return Typed(ThreadRead(owner, place.place), typed.checks)

    def _owner(self, node: ast.Expression) -> ThreadVariable:
        """The thread whose local a place is part of."""
        while isinstance(node, ast.Index):
            node = node.base
        assert isinstance(node, ast.Member)
        assert isinstance(node.base, ast.Name)
        return self._threads[node.base.name]

    def _is_own(self, index: Expr) -> bool:
        return isinstance(index, ThreadVariable)

    def _belongs(self, index: Expr, template: str) -> Expr:
        if isinstance(index, ThreadVariable):
            return TRUE if index.template == template else FALSE
        return super()._belongs(index, template)
