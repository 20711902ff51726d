CREATE SCHEMA IF NOT EXISTS taisai_journal;

CREATE TABLE taisai_journal.layout (number integer NOT NULL);

CREATE TABLE taisai_journal.chains (
    name text COLLATE "C" PRIMARY KEY,
    epoch bigint NOT NULL,
    next bigint NOT NULL,
    hash bytea NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE taisai_journal.blocks (
    chain text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    block bytea NOT NULL,
    PRIMARY KEY (chain, position)
);
-- Entries are compact already; trying to compress them costs more than it saves.
ALTER TABLE taisai_journal.blocks ALTER COLUMN block SET STORAGE EXTERNAL;

CREATE TABLE taisai_journal.snapshots (
    chain text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    state bytea NOT NULL,
    length bigint NOT NULL,
    PRIMARY KEY (chain, position)
);

CREATE TABLE taisai_journal.parts (
    chain text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (chain, position, part)
);
ALTER TABLE taisai_journal.parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Moves every chain of a batch from where the batch begins to where it ends, and inserts its blocks. A chain that is
-- elsewhere, or has another epoch, stops the whole batch. Heads are locked in the order of names, so that two batches
-- never wait for each other.
CREATE FUNCTION taisai_journal.append(
    names text[], epochs bigint[], froms bigint[], previous bytea[], nexts bigint[], hashes bytea[],
    block_chains text[], positions bigint[], blocks bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    stray text;
BEGIN
    IF current_setting('fsync') <> 'on' OR current_setting('full_page_writes') <> 'on' THEN
        RAISE EXCEPTION 'fsync or full_page_writes was turned off: nothing would be durable';
    END IF;
    PERFORM FROM taisai_journal.chains c WHERE c.name = ANY (names) ORDER BY c.name FOR UPDATE;
    SELECT m.name INTO stray
    FROM unnest(names, epochs, froms, previous) AS m (name, epoch, start, previous)
    LEFT JOIN taisai_journal.chains c
        ON c.name = m.name AND c.epoch = m.epoch AND c.next = m.start AND c.hash = m.previous
    WHERE c.name IS NULL
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the chain has another head' USING ERRCODE = 'TS001', DETAIL = stray;
    END IF;
    UPDATE taisai_journal.chains c SET next = m.next, hash = m.hash
    FROM unnest(names, nexts, hashes) AS m (name, next, hash)
    WHERE c.name = m.name;
    INSERT INTO taisai_journal.blocks (chain, position, block)
    SELECT b.chain, b.position, b.block FROM unnest(block_chains, positions, blocks) AS b (chain, position, block);
END
$$;
