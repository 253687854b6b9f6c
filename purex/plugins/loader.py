"""Loading plugins, each inside a try: one that fails is reported and the others go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

from purex.errors import PluginError, nearest
from purex.plugins.discovery import canonical, discover, version_of
from purex.plugins.harvest import Harvest, harvest, told
from purex.plugins.hookspecs import API
from purex.plugins.manners import printing_apart, waiting_for
from purex.plugins.plugin import OWN, UNKNOWN_VERSION, Fault, Plugin
from purex.plugins.switches import DISABLE, Switches

STATED = "PUREX_API"  # the attribute of a plugin that states its version of the API
LOCAL = "local"  # the distribution of modules that are handed over without one


@dataclass(frozen=True)
class Loaded:
    """The plugins in the order of their ids, and the problems that belong to none of them."""

    plugins: tuple[Plugin, ...]
    problems: tuple[Fault, ...] = ()

    @property
    def all_problems(self) -> tuple[Fault, ...]:
        """Every problem, of the installation and of the plugins."""
        return (*self.problems, *(p for plugin in self.plugins for p in plugin.problems))


def _examined(distribution: str, entry: str, version: str, plugin: object) -> Plugin:
    where, api = f"plugin {distribution}:{entry} {version}", getattr(plugin, STATED, API)
    known = type(api) is int and api == API
    got = harvest(where, plugin) if known else Harvest(where)
    if not known:
        got.report(
            f"is written for version {api!r} of the plugin API ({STATED}), but this purex has version {API}: "
            f"install a release of {distribution} for it, or another of purex"
        )
    return Plugin(
        distribution=distribution,
        entry=entry,
        version=version,
        api=api if type(api) is int else None,
        hooks=tuple(got.hooks),
        records=got.records,
        commands=tuple(got.commands),
        problems=tuple(got.problems),
    )


def _imported(identity: str, entry: metadata.EntryPoint) -> Plugin:
    distribution, version = identity.split(":", 1)[0], version_of(entry)
    if distribution == OWN:  # without a timer: ours do not hang
        return _loaded(identity, entry, distribution, version)
    with printing_apart(), waiting_for(identity, version):
        return _loaded(identity, entry, distribution, version)


def _loaded(identity: str, entry: metadata.EntryPoint, distribution: str, version: str) -> Plugin:
    try:
        plugin = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plugin may as well call sys.exit when it is imported
        where, what = f"plugin {identity} {version}", f"cannot be imported ({told(error)})"
        return Plugin(
            distribution=distribution,
            entry=entry.name,
            version=version,
            records={},
            problems=(Fault(where, what, error),),
        )
    return _examined(distribution, entry.name, version, plugin)


def _without_duplicates(plugins: Sequence[Plugin]) -> tuple[Plugin, ...]:
    """Leave out a name that an earlier entry of the same distribution gave already.

    Within a distribution `distribution:name` must be one thing; between two distributions the
    same bare name is ambiguous, which is an error only when somebody uses it.
    """
    owner: dict[tuple[str, str, str], str] = {}
    result = []
    for plugin in plugins:
        records, problems = {}, list(plugin.problems)
        for kind, given in plugin.records.items():
            kept = []
            for record in given:
                first = owner.setdefault((plugin.distribution, kind, record.name), plugin.id)
                if first == plugin.id:
                    kept.append(record)
                else:
                    what = f"yields the {kind} '{record.name}', which {first} gave already"
                    problems.append(Fault(f"plugin {plugin.id} {plugin.version}", what))
            records[kind] = tuple(kept)
        result.append(replace(plugin, records=records, problems=tuple(problems)))
    return tuple(result)


def _settled(plugins: Sequence[Plugin], problems: Sequence[Fault], strict: bool) -> Loaded:
    loaded = Loaded(_without_duplicates(plugins), tuple(problems))
    if strict and loaded.all_problems:
        first = loaded.all_problems[0]
        raise PluginError(str(first)) from first.error
    return loaded


def load(switches: Switches | None = None, path: Sequence[str] | None = None) -> Loaded:
    """Load every plugin that the installed distributions declare.

    `switches` are read from the environment unless given; `path` stands for `sys.path`.
    """
    switches = Switches.from_environment() if switches is None else switches
    found, problems = discover(path)
    known = {*found, *(entry.name for entry in found.values())}
    for name in switches.disabled:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean '{near}'?" if near else ""
            problems.append(Fault(DISABLE, f"names '{name}', which is no plugin here{hint}"))
    plugins = [
        Plugin(
            distribution=identity.split(":", 1)[0],
            entry=entry.name,
            version=version_of(entry),
            records={},
            disabled=True,
        )
        if {identity, entry.name} & set(switches.disabled)
        else _imported(identity, entry)
        for identity, entry in found.items()
    ]
    return _settled(plugins, problems, switches.strict)


def load_modules(modules: Mapping[str, object], *, strict: bool = True) -> Loaded:
    """Load plugins that are imported already, by id (`distribution:entry`) or by entry alone."""
    plugins = []
    for identity in sorted(modules):
        distribution, colon, entry = identity.rpartition(":")
        name = canonical(distribution) if colon else LOCAL
        plugins.append(_examined(name, entry, UNKNOWN_VERSION, modules[identity]))
    return _settled(plugins, (), strict)
