CREATE TABLE taisai_journal.slips (
    chain text COLLATE "C" NOT NULL,
    round bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (chain, round)
);
ALTER TABLE taisai_journal.slips ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Appends a batch, and keeps the slips of the rounds that it settles. A batch that is refused keeps none.
CREATE FUNCTION taisai_journal.append_with_slips(
    names text[], epochs bigint[], froms bigint[], previous bytea[], nexts bigint[], hashes bytea[],
    block_chains text[], positions bigint[], blocks bytea[], slip_chains text[], rounds bigint[], slips bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM taisai_journal.append(
        names, epochs, froms, previous, nexts, hashes, block_chains, positions, blocks
    );
    INSERT INTO taisai_journal.slips (chain, round, bytes)
    SELECT s.chain, s.round, s.slip FROM unnest(slip_chains, rounds, slips) AS s (chain, round, slip)
    ON CONFLICT (chain, round) DO UPDATE SET bytes = excluded.bytes;
END
$$;
