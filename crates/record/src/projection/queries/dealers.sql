-- Rounds, stakes and win of each gaming day, shift and dealer, as the rounds stand now.
SELECT r.gaming_day, r.shift, r.table_number, r.dealer, coalesce(p.name, '') AS name, count(DISTINCT r.round) AS rounds,
       CAST(sum(s.staked) AS BIGINT) AS staked, CAST(sum(s.counted - s.paid) AS BIGINT) AS win,
       CAST(sum(s.staked) AS BIGINT) / nullif(CAST(sum(s.lines) AS BIGINT), 0) AS average_bet
FROM rounds r JOIN settlements s ON s.table_number = r.table_number AND s.round = r.round
     LEFT JOIN people p ON p.person = r.dealer
GROUP BY r.gaming_day, r.shift, r.table_number, r.dealer, p.name
ORDER BY r.gaming_day, min(r.opened_at), r.table_number, r.dealer
