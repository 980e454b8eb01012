"""Tables of the index in PostgreSQL, and what is asked of them. They are in a schema of their own."""

from typing import Final

SCHEMA: Final = "sori"

TABLES: Final = (
    # Several Soris may begin at once.
    "SELECT pg_advisory_xact_lock(7674029)",
    "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public",
    "CREATE SCHEMA IF NOT EXISTS sori",
    """CREATE TABLE IF NOT EXISTS passages (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project TEXT NOT NULL,
        file TEXT NOT NULL,
        number INTEGER NOT NULL,
        name TEXT NOT NULL,
        headings TEXT NOT NULL,
        text TEXT NOT NULL,
        digest BYTEA NOT NULL,
        terms TEXT[] NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS passages_place ON passages (project, file, number)",
    "CREATE INDEX IF NOT EXISTS passages_digest ON passages (digest)",
    "CREATE INDEX IF NOT EXISTS passages_terms ON passages USING gin (terms)",
    "CREATE TABLE IF NOT EXISTS files (project TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (project, file))",
    # In how many passages of a project a term stands, which decides what it counts.
    """CREATE TABLE IF NOT EXISTS terms (
        project TEXT NOT NULL, term TEXT NOT NULL, passages BIGINT NOT NULL, PRIMARY KEY (project, term)
    )""",
    "CREATE TABLE IF NOT EXISTS vectors (digest BYTEA PRIMARY KEY, vector halfvec NOT NULL)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)

LOCK_PROJECT: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%(project)s, 0))"
"""Taken before a project is changed, because two Soris that count its terms at once could wait for each other."""

COUNT_TERMS: Final = """
    INSERT INTO terms (project, term, passages)
    SELECT %(project)s, term, %(sign)s * count(*) FROM (
        SELECT DISTINCT id, unnest(terms) AS term FROM passages WHERE id = ANY(%(ids)s)
    ) AS each GROUP BY term
    ON CONFLICT (project, term) DO UPDATE SET passages = terms.passages + excluded.passages
"""

BY_WORDS: Final = """
    WITH asked AS (SELECT * FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS asked (term, weight)),
    candidates AS (
        SELECT id, terms, cardinality(terms) AS length FROM passages
        WHERE terms && %(rare)s::text[] AND project = ANY(%(projects)s)
            AND (%(files)s::text[] IS NULL OR file = ANY(%(files)s))
    ),
    counted AS (
        SELECT id, length, term, count(*)::float8 AS found
        FROM candidates, unnest(terms) AS term WHERE term = ANY(%(terms)s) GROUP BY id, length, term
    )
    SELECT id, sum(weight * found * 2.2
        / (found + 1.2 * (0.25 + 0.75 * length / (SELECT avg(length) FROM candidates)))) AS score
    FROM counted JOIN asked USING (term)
    GROUP BY id ORDER BY score DESC LIMIT %(limit)s
"""
"""BM25 with its usual constants (k1 1.2, b 0.75) over the passages that have a rare term of the question."""

BY_MEANING: Final = """
    SELECT passages.id, -(vector <#> %(vector)s::halfvec) FROM vectors JOIN passages USING (digest)
    WHERE project = ANY(%(projects)s) AND (%(files)s::text[] IS NULL OR file = ANY(%(files)s))
    ORDER BY vector <#> %(vector)s::halfvec LIMIT %(limit)s
"""

PRODUCTS: Final = """
    SELECT passages.id, -(vector <#> %(vector)s::halfvec) FROM vectors JOIN passages USING (digest)
    WHERE passages.id = ANY(%(ids)s)
"""

MISSING: Final = """
    SELECT id, digest, headings, text FROM passages
    WHERE id > %(after)s AND NOT EXISTS (SELECT FROM vectors WHERE vectors.digest = passages.digest)
    ORDER BY id LIMIT %(limit)s
"""

FORGET_VECTORS: Final = """
    DELETE FROM vectors WHERE digest = ANY(%(digests)s)
        AND NOT EXISTS (SELECT FROM passages WHERE passages.digest = vectors.digest)
"""

KEEP_VECTOR: Final = """
    INSERT INTO vectors SELECT %(digest)s, %(vector)s::halfvec
    WHERE EXISTS (SELECT FROM passages WHERE digest = %(digest)s) ON CONFLICT (digest) DO NOTHING
"""

SIZE_VECTORS: Final = (
    "DROP INDEX IF EXISTS vectors_near",
    "TRUNCATE vectors",
    "ALTER TABLE vectors ALTER COLUMN vector TYPE halfvec({dimensions})",
    "CREATE INDEX vectors_near ON vectors USING hnsw (vector halfvec_ip_ops)",
)
"""pgvector's index (HNSW) needs vectors of one size."""

SEARCH_FURTHER: Final = "SET LOCAL hnsw.iterative_scan = 'relaxed_order'"
"""The index goes on until it has found enough passages of the projects that are asked (pgvector 0.8)."""
