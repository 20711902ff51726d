-- A node lives until its time is over, and holds its parts as long as it lives.
CREATE TABLE taisai_journal.nodes (
    name text COLLATE "C" PRIMARY KEY,
    address text NOT NULL,
    version text NOT NULL,
    -- No two nodes have the same.
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

-- Gives a node that lives another term; one whose time is over stays dead. The row is locked before the time is looked
-- at: a claim that found the node dead is over then, and one that comes later finds it alive.
CREATE FUNCTION taisai_journal.beat(node text, millis bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM taisai_journal.nodes n WHERE n.name = node FOR UPDATE;
    UPDATE taisai_journal.nodes n SET until = clock_timestamp() + millis * interval '1 millisecond'
    WHERE n.name = node AND n.until > clock_timestamp();
    RETURN FOUND;
END
$$;

-- Gives a part to a node, unless another one that lives holds it or is wanted for it. Answers whether the node lives, who
-- holds the part now, and who is wanted for it. The row of the part is locked first, then those of the nodes, so that a
-- beat that is under way is waited for.
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
