-- What players owe after corrections and late voids, and what became of it; the open ones first.
SELECT receivable, opened_at, table_number, round, cluster, seat, session, amount, set_off, collected, written_off, still_open, is_waived, ruled_by,
       why
FROM receivables
ORDER BY CASE WHEN still_open > 0 THEN 0 ELSE 1 END, receivable
