-- The last ten games of a seat or terminal, line by line: as first settled, and as they stand now.
-- $1 table: the table's number
-- $2 cluster: the cluster
-- $3 seat: the seat
WITH games AS (
    SELECT table_number, cluster, round, seat
    FROM wagers WHERE table_number = $1 AND cluster = $2 AND seat = $3
    GROUP BY table_number, cluster, round, seat ORDER BY round DESC LIMIT 10
)
SELECT w.round, r.opened_at, r.first_dice, r.dice, r.void, w.session, w.box, w.stake, w.outcome, w.odds, w.first_paid,
       w.first_returned, w.paid, w.returned
FROM games g
     JOIN wagers w ON w.table_number = g.table_number AND w.cluster = g.cluster AND w.round = g.round AND w.seat = g.seat
     LEFT JOIN rounds r ON r.table_number = w.table_number AND r.round = w.round
ORDER BY w.round DESC, w.line
