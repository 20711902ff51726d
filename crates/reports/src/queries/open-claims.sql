-- Hand-pays that nobody has collected, the oldest first.
SELECT c.claim, c.opened_at, (now.at - c.opened_at) / 3600000 AS hours, c.amount, c.set_off, c.reason, c.table_number, c.cluster,
       c.seat, c.session, c.round
FROM claims c CROSS JOIN (SELECT max(projected_at) AS at FROM chains) now
WHERE c.paid_at IS NULL AND c.taken_back_at IS NULL AND c.set_off < c.amount
ORDER BY c.claim
