"""What `up` does: each step in order, ready or undone. What ran before and has the same settings is left alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules import console, interruption
from groundrules.stack import databases, identity, instance, journal, listener, program, readiness, record
from groundrules.stack.databases import compose
from groundrules.stack.program import Program
from groundrules.stack.progress import Progress
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules.stack.instance import Instance
    from groundrules.stack.record import Record

STEP = 0.05  # seconds between two probes
SETTLING = 0.2  # seconds that a program must live when nothing can be asked of it
UNWANTED = "groundrules.toml does not have it any more"
MAIN = "/.git/groundrules/run/0"  # of the main worktree of a repository, which has slot 0 as that of another has
CLOSING = 3.0  # seconds that a port may take to become free when nobody listens on it


class Begun(NamedTuple):
    """A program that runs: its record, and whether this run started it."""

    program: Program
    record: Record
    new: bool


class Startup:
    """One `up`. `changed` tells whether it started, restarted or stopped anything."""

    def __init__(self, of: Instance) -> None:
        self.instance = of
        self.run = of.run
        self.began = time.time()
        self.changed = False
        self.undoing: list[Callable[[], object]] = []

    def bring_up(self) -> None:
        """Bring the stack up. Raise GroundrulesError naming the step that failed; all this run started is stopped."""
        stack = self.instance.config.stack
        infrastructure = instance.programs(self.instance, "infrastructure", stack.infrastructure)
        services = instance.programs(self.instance, "service", stack.services)
        try:
            self._retire({each.name for each in (*infrastructure, *services)})
            database = databases.of(self.instance.config)
            if database:
                database.bring_up(self.instance, self)
            if stack.migrate:
                self._migrate()
            self.ensure(infrastructure)
            self.ensure(services)
        except BaseException:
            self._undo()
            raise

    def ensure(self, programs: list[Program]) -> None:
        """Start what does not run, in the order of their needs, and return when all of them are ready."""
        waiting = list(programs)
        while waiting:
            names = {each.name for each in waiting}
            layer = [each for each in waiting if not names & set(each.needs)]
            for begun in [self._begin(each) for each in layer]:
                self._await(begun)
            waiting = [each for each in waiting if each not in layer]

    def _retire(self, names: set[str]) -> None:
        """Stop what the configuration no longer has, and what a killed `up` left half done."""
        database = self.instance.config.stack.database
        if database != "compose" and compose.take_down(self.run):
            self.changed = True
            console.step(console.DONE, "compose", f"stopped: {UNWANTED}")
        for made in reversed(record.read_all(self.run)):
            if made.name in names or (made.kind == "database" and database == "postgres"):
                continue
            if program.stop(self.run, made):
                self.changed = True
                half = made.kind == "migration"
                why = "an interrupted run left it" if half else UNWANTED
                console.step(console.DONE, made.name, f"stopped: {why}")

    def _begin(self, wanted: Program) -> Begun:
        made = record.read(self.run, wanted.name)
        if made and made.is_alive and made.digest == wanted.digest:
            return Begun(wanted, made, new=False)
        if made:
            why = "settings changed" if made.is_alive else "it had ended"
            if program.stop(self.run, made):
                console.step(console.ALREADY, wanted.name, f"stopped: {why}")
        wanted.before()
        if wanted.port:
            self._require_port(wanted)
        self.changed = True
        return Begun(wanted, program.start(self.run, wanted), new=True)

    def _require_port(self, wanted: Program) -> None:
        """Raise GroundrulesError naming who holds the port of `wanted`. It is never signalled (PRT-10).

        A process that was killed loses sight of its sockets before the kernel closes them: who is not seen may be gone
        in a moment.
        """
        deadline = time.monotonic() + CLOSING
        while listener.is_taken(wanted.port):
            holders = listener.holders(wanted.port) if listener.is_known() else []
            if any(holder.pid for holder in holders) or time.monotonic() > deadline:
                raise self._taken(wanted, holders)
            time.sleep(STEP)

    def _taken(self, wanted: Program, holders: list[listener.Holder]) -> GroundrulesError:
        lines = []
        pids = [str(holder.pid) for holder in holders if holder.pid]
        fix = f"ps -fp {','.join(pids)}" if pids else f"ss -ltnp 'sport = :{wanted.port}'"
        for holder in holders:
            mark = identity.mark_of(holder.pid) if holder.pid else ""
            run = mark.rpartition("/")[0]
            lost = mark == record.mark(self.run, wanted.name)
            lines.append(f"by {listener.describe(holder)}")
            lines += [f"it is {wanted.name} of this stack, whose record is lost"] if lost else []
            lines += [f"it belongs to the stack in {run}"] if mark and not lost else []
            if run.endswith(MAIN) and run != self.run:
                fix = f"make -C {quote(run.removesuffix(MAIN))} down"
        return GroundrulesError(
            f"{wanted.name} cannot start: port {wanted.port} is taken",
            why="\n".join(lines) or "somebody holds it without listening",
            fix=fix,
            code=FINDINGS,
        )

    def _await(self, begun: Begun) -> None:
        """Return when the program is ready. Raise GroundrulesError when it ends, or its time does."""
        wanted, made = begun.program, begun.record
        progress = Progress(wanted.name, "starting")
        try:
            while True:
                if not made.is_alive and not begun.new:  # it was dying when it was looked at
                    self._await(self._begin(wanted))
                    return
                if not made.is_alive:
                    raise self._failed(begun, f"{program.in_words(program.exit_code(made.pid))} before it was ready")
                answer = self._ask(begun, progress)
                if answer.ready:
                    break
                if progress.seconds > wanted.timeout:
                    raise self._failed(begun, f"is not ready after {wanted.timeout:.0f} s: {answer.said}")
                progress.tick()
                time.sleep(STEP)
        finally:
            progress.clear()
        took = f"{answer.said}   {progress.seconds:.1f} s" if begun.new else f"already up, {answer.said}"
        console.step(console.DONE if begun.new else console.ALREADY, wanted.name, took)

    def _ask(self, begun: Begun, progress: Progress) -> readiness.Answer:
        """Return the answer of the program itself; an answer of somebody else's on its port is a failure."""
        wanted, made = begun.program, begun.record
        if not (wanted.port and wanted.asks_port) and begun.new and progress.seconds < SETTLING:
            return readiness.Answer(ready=False, said="just started")
        answer = wanted.ready()
        if not (answer.ready and wanted.asks_port):
            return answer
        strangers = readiness.strangers(made)
        if strangers:
            raise self._failed(begun, f"is not alone on port {wanted.port}: {listener.describe(strangers[0])}")
        if strangers is None or not made.is_alive:
            return readiness.Answer(ready=False, said="another process answered and is gone")
        return answer

    def _failed(self, begun: Begun, what: str) -> GroundrulesError:
        name = begun.program.name
        said = journal.tail(self.run, name, begun.record.offset)
        return GroundrulesError(
            f"{name} {what}",
            why=said or "it wrote nothing to its log",
            fix=f"tools/groundrules logs {name}",
            code=FINDINGS,
        )

    def _migrate(self) -> None:
        """Run the repository's own migrations, each time: the command does nothing when there is nothing to do."""
        wanted = Program(
            name="migrations",
            kind="migration",
            argv=instance.filled(self.instance, self.instance.config.stack.migrate),
            cwd=self.instance.worktree.root,
            env=instance.shell(self.instance),
            own={},
            ready=readiness.alive,
        )
        made = program.start(self.run, wanted)
        progress = Progress(wanted.name, wanted.command)
        try:
            while made.is_alive:
                progress.tick()
                time.sleep(program.STEP)
        finally:
            progress.clear()
        code = program.exit_code(made.pid)
        if code != 0:
            raise self._failed(Begun(wanted, made, new=True), f"failed: `{wanted.command}` {program.in_words(code)}")
        program.stop(self.run, made)
        console.step(console.DONE, wanted.name, f"{wanted.command}   {progress.seconds:.1f} s")

    def _undo(self) -> None:
        """Stop what this run started, newest first; nothing interrupts that, and one that stays keeps no other."""
        with interruption.ignored():
            for made in reversed(record.read_all(self.run)):
                if made.started >= self.began:
                    self._stop_again(made)
            for undo in reversed(self.undoing):
                _told(undo)

    def _stop_again(self, made: Record) -> None:
        if _told(lambda: program.stop(self.run, made)):
            console.step(console.ALREADY, made.name, "stopped again")


def _told(undo: Callable[[], object]) -> object:
    """Return what `undo` does, or tell why it fails: the first failure is the one to be raised."""
    try:
        return undo()
    except GroundrulesError as error:
        console.narrate(console.WARNING, error.what)
        return None
