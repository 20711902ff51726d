-- What was staked and won on each box of each table, against what the House keeps there on average. Void rounds do not count,
-- nor tables that register winners: what lost there is not known.
SELECT w.table_number, w.box, count(*) AS wagers, CAST(sum(w.counted) AS BIGINT) AS counted,
       CAST(sum(w.counted - w.paid) AS BIGINT) AS win,
       CAST(sum(w.counted) AS BIGINT) * b.edge_numerator / b.edge_denominator AS theoretical_win
FROM wagers w JOIN boxes b ON b.table_number = w.table_number AND b.box = w.box
     JOIN tables t ON t.table_number = w.table_number AND t.registration <> 'winners'
WHERE w.outcome <> 'void'
GROUP BY w.table_number, w.box, b.edge_numerator, b.edge_denominator
ORDER BY w.table_number, counted DESC, w.box
