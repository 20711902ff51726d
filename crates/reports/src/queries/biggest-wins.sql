-- The twenty largest wins of one seat in one round, as the rounds stand now.
SELECT w.table_number, w.round, s.settled_at, r.dice, w.cluster, w.seat, w.session, CAST(sum(w.stake) AS BIGINT) AS staked,
       CAST(sum(w.paid) AS BIGINT) AS paid, CAST(sum(w.paid + w.returned - w.stake) AS BIGINT) AS win
FROM wagers w
     JOIN settlements s ON s.table_number = w.table_number AND s.cluster = w.cluster AND s.round = w.round
     LEFT JOIN rounds r ON r.table_number = w.table_number AND r.round = w.round
GROUP BY w.table_number, w.round, s.settled_at, r.dice, w.cluster, w.seat, w.session
HAVING sum(w.paid + w.returned - w.stake) > 0
ORDER BY win DESC, w.table_number, w.round, w.cluster, w.seat
LIMIT 20
