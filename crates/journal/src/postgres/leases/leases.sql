-- A node is alive until its lease runs out, and holds its partitions that long.
CREATE TABLE taisai_journal.nodes (
    name text COLLATE "C" PRIMARY KEY,
    address text NOT NULL,
    version text NOT NULL,
    -- Unique.
    slot smallint NOT NULL UNIQUE,
    joined timestamptz NOT NULL DEFAULT clock_timestamp(),
    until timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE taisai_journal.leases (
    part text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C",
    wanted text COLLATE "C"
) WITH (fillfactor = 50);

CREATE FUNCTION taisai_journal.lives(node text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT FROM taisai_journal.nodes n WHERE n.name = node AND n.until > clock_timestamp())
$$;

-- Renews the lease of a node that is alive; an expired node stays dead. The row is locked before the time is read: a
-- claim that found the node dead is done by then, and a later one finds it alive.
CREATE FUNCTION taisai_journal.beat(node text, millis bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM taisai_journal.nodes n WHERE n.name = node FOR UPDATE;
    UPDATE taisai_journal.nodes n SET until = clock_timestamp() + millis * interval '1 millisecond'
    WHERE n.name = node AND n.until > clock_timestamp();
    RETURN FOUND;
END
$$;

-- Gives a partition to a node, unless another node that is alive holds it or has it reserved. Returns whether the node
-- is alive, who holds the partition now, and for whom it is reserved. The row of the partition is locked first, then
-- those of the nodes, so that this waits for a heartbeat that is under way.
CREATE FUNCTION taisai_journal.claim(
    node text, claimed text, OUT is_alive boolean, OUT holds text, OUT awaited text
) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO taisai_journal.leases (part) VALUES (claimed) ON CONFLICT (part) DO NOTHING;
    SELECT l.holder, l.wanted INTO holds, awaited FROM taisai_journal.leases l WHERE l.part = claimed FOR UPDATE;
    PERFORM FROM taisai_journal.nodes n WHERE n.name IN (node, holds, awaited) ORDER BY n.name FOR SHARE;
    is_alive := taisai_journal.lives(node);
    IF NOT taisai_journal.lives(holds) THEN
        holds := NULL;
    END IF;
    IF NOT taisai_journal.lives(awaited) THEN
        awaited := NULL;
    END IF;
    IF is_alive AND holds IS NULL AND coalesce(awaited, node) = node THEN
        UPDATE taisai_journal.leases l SET holder = node, wanted = NULL WHERE l.part = claimed;
        holds := node;
        awaited := NULL;
    END IF;
END
$$;
