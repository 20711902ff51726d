-- Voids, corrections, reinstatements and rulings with who and why, and what the round came to before and now.
SELECT e.happened_at, e.table_number, e.round, e.kind, e.detail, e.person, p.name, e.second, e.why,
       CAST(sum(s.first_counted - s.first_paid) AS BIGINT) AS first_win, CAST(sum(s.counted - s.paid) AS BIGINT) AS win
FROM events e LEFT JOIN people p ON p.person = e.person
     LEFT JOIN settlements s ON s.table_number = e.table_number AND s.round = e.round
WHERE e.kind IN ('void', 'late-void', 'correction', 'reinstatement', 'ruling')
GROUP BY e.chain, e.position, e.line, e.number, e.happened_at, e.table_number, e.round, e.kind, e.detail, e.person, p.name,
         e.second, e.why
ORDER BY e.happened_at, e.chain, e.position, e.line, e.number
