"""The swap: a contract's tested candidate takes the place of its published marts, in one transaction."""

from typing import NamedTuple

from psycopg2 import sql

from rowgate.adapters.warehouse import Cursor, PostgresConnection, transaction
from rowgate.contract.model import Contract
from rowgate.errors import UnusableError

PUBLISHED = "marts"
"""The schema that readers read; every contract's marts are there."""

STAGING = "staging"
"""The schema of the staging views. They show the table as it is now, personal data and all, so they are no marts."""

_STAGED = "stg_"  # how the name of a staging model begins

_PUBLISHING = 7_290_412_002  # any number: the advisory lock of whoever publishes

_RELATIONS = """
SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm') ORDER BY c.relname
"""

_GRANTS = """
SELECT n.nspname, c.relname, NULL, g.grantee, r.rolname, g.privilege_type, g.is_grantable
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE n.nspname = ANY(%(schemas)s) AND c.relname = ANY(%(names)s) AND g.grantee <> c.relowner
UNION ALL
SELECT n.nspname, c.relname, a.attname, g.grantee, r.rolname, g.privilege_type, g.is_grantable
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
CROSS JOIN LATERAL aclexplode(a.attacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE n.nspname = ANY(%(schemas)s) AND c.relname = ANY(%(names)s) AND g.grantee <> c.relowner
"""


class _Grant(NamedTuple):
    """One privilege; `column` is None for the whole relation, `grantee` is 0 for PUBLIC."""

    schema: str
    relation: str
    column: str | None
    grantee: int
    role: str | None
    privilege: str
    grantable: bool


class _Kind(NamedTuple):
    """How SQL calls a kind of relation."""

    word: str
    rank: int


_KINDS = {
    # Dropped in this order: a view may read a table, never the other way round.
    "m": _Kind("MATERIALIZED VIEW", 0),
    "v": _Kind("VIEW", 1),
    "r": _Kind("TABLE", 2),
    "p": _Kind("TABLE", 2),
}


def candidate_schema(contract: Contract) -> str:
    """The schema in which the contract's models are built and tested."""
    return f"marts_{contract.name}__candidate"


def home(name: str) -> str:
    """The schema in which a model is published."""
    return STAGING if name.startswith(_STAGED) else PUBLISHED


def candidates(contract: Contract, cursor: Cursor) -> dict[str, str]:
    """The relations that wait in the candidate schema: name -> kind, as `pg_class.relkind`."""
    return _relations(candidate_schema(contract), cursor)


def publish(contract: Contract, connection: PostgresConnection, *, lock_timeout: str = "10s") -> list[str]:
    """Put the candidate's relations in the place of the published ones of the same names.

    Readers see all of the old marts or all of the new ones. What was granted on the old ones is granted on the new.

    Args:
        contract: whose candidate; it is published as it is, so it must have been tested.
        connection: the warehouse, with no transaction open.
        lock_timeout: how long to wait for each reader before giving up, as Postgres writes times.

    Returns:
        The names published, none if the candidate was published before.

    Raises:
        UnusableError: something that is not ours depends on a published mart, or has its name.
        RowgateError: a reader held a mart too long, or the warehouse failed. The old marts stay.
    """
    candidate = candidate_schema(contract)
    with transaction(connection, f"publishing the marts of {contract.name}", lock_timeout) as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PUBLISHING])
        new = candidates(contract, cursor)
        if not new:
            return []
        for schema in (PUBLISHED, STAGING):
            cursor.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        there = {schema: _relations(schema, cursor) for schema in (PUBLISHED, STAGING)}
        old = {name: there[home(name)][name] for name in new if name in there[home(name)]}
        cursor.execute(_GRANTS, {"schemas": [PUBLISHED, STAGING], "names": list(old)})
        grants = [grant for grant in map(_Grant._make, cursor.fetchall()) if grant.schema == home(grant.relation)]
        # Always in one order, so that two sessions never wait for each other; a mart may read a staging view.
        for name in sorted(old, key=lambda name: (_KINDS[old[name]].rank, home(name), name)):
            _alter("DROP {} {}", _KINDS[old[name]], home(name), name, cursor)
        for name, kind in new.items():
            _alter("ALTER {} {} SET SCHEMA {}", _KINDS[kind], candidate, name, cursor)
        for grant in grants:
            _grant(grant, contract, cursor)
        cursor.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(candidate)))
        return list(new)


def _relations(schema: str, cursor: Cursor) -> dict[str, str]:
    cursor.execute(_RELATIONS, [schema])
    return dict(cursor.fetchall())


def _alter(template: str, kind: _Kind, schema: str, name: str, cursor: Cursor) -> None:
    parts = sql.SQL(kind.word), sql.Identifier(schema, name), sql.Identifier(home(name))
    cursor.execute(sql.SQL(template).format(*parts))


def _grant(grant: _Grant, contract: Contract, cursor: Cursor) -> None:
    """Grant on the new relation what was granted on the old one; a column that is gone takes its grants along."""
    if grant.column is not None:
        cursor.execute(
            "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s AND NOT attisdropped",
            [f"{grant.schema}.{_quoted(grant.relation, cursor)}", grant.column],
        )
        if not cursor.fetchone():
            return
    if grant.grantee and grant.role is None:
        raise UnusableError(
            f"A role that a mart of {contract.name} was granted to is gone; revoke its privileges on {grant.relation}."
        )
    cursor.execute(
        sql.SQL("GRANT {} {} ON {} TO {}{}").format(
            sql.SQL(grant.privilege),  # a word of pg_class's own, never text from outside
            sql.SQL("({})").format(sql.Identifier(grant.column)) if grant.column else sql.SQL(""),
            sql.Identifier(grant.schema, grant.relation),
            sql.Identifier(grant.role) if grant.role else sql.SQL("PUBLIC"),
            sql.SQL(" WITH GRANT OPTION" if grant.grantable else ""),
        )
    )


def _quoted(name: str, cursor: Cursor) -> str:
    cursor.execute("SELECT quote_ident(%s)", [name])
    row = cursor.fetchone()
    return str(row[0]) if row else name
