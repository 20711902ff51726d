-- Rounds, stakes and win of each gaming day, shift and dealer, as the rounds stand now. At a table that registers winners
-- what lost is not known: nor are stakes and win.
SELECT r.gaming_day, r.shift, r.table_number, r.dealer, coalesce(p.name, '') AS name, count(DISTINCT r.round) AS rounds,
       CASE WHEN t.registration = 'winners' THEN NULL ELSE CAST(sum(s.staked) AS BIGINT) END AS staked,
       CASE WHEN t.registration = 'winners' THEN NULL ELSE CAST(sum(s.counted - s.paid) AS BIGINT) END AS win,
       CASE WHEN t.registration = 'winners' THEN NULL
            ELSE CAST(sum(s.staked) AS BIGINT) / nullif(CAST(sum(s.lines) AS BIGINT), 0) END AS average_bet
FROM rounds r JOIN settlements s ON s.table_number = r.table_number AND s.round = r.round
     LEFT JOIN people p ON p.person = r.dealer LEFT JOIN tables t ON t.table_number = r.table_number
GROUP BY r.gaming_day, r.shift, r.table_number, t.registration, r.dealer, p.name
ORDER BY r.gaming_day, min(r.opened_at), r.table_number, r.dealer
