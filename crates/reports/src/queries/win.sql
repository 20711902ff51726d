-- Win, drop and hold of each table and gaming day. The win is what was booked that day: corrections and late voids count
-- in the day in which they were made. Drop is the cash and the vouchers that came in at the table; hold is win to drop in
-- hundredths of a percent. At a table that registers winners what lost is not known: nor are stakes, win and hold.
WITH booked AS (
    SELECT gaming_day, table_number,
           CAST(sum(CASE WHEN account = 'house' THEN amount ELSE 0 END) AS BIGINT) AS win,
           CAST(sum(CASE WHEN (account IN ('cash', 'notes') AND kind <> 'stacker-emptied') OR (account = 'transit' AND kind = 'credits-received') THEN -amount ELSE 0 END)
                AS BIGINT) AS taken_in
    FROM ledger_entries WHERE chain <> 'house' GROUP BY gaming_day, table_number
), played AS (
    SELECT gaming_day, table_number, count(DISTINCT round) AS rounds, CAST(sum(staked) AS BIGINT) AS staked
    FROM settlements GROUP BY gaming_day, table_number
)
SELECT b.gaming_day, b.table_number, coalesce(p.rounds, 0) AS rounds,
       CASE WHEN t.registration = 'winners' THEN NULL ELSE coalesce(p.staked, 0) END AS staked,
       CASE WHEN t.registration = 'winners' THEN NULL ELSE b.win END AS win, b.taken_in AS drop_taken,
       CASE WHEN t.registration = 'winners' THEN NULL ELSE 10000 * b.win / nullif(b.taken_in, 0) END AS hold
FROM booked b LEFT JOIN played p ON p.gaming_day = b.gaming_day AND p.table_number = b.table_number
     LEFT JOIN tables t ON t.table_number = b.table_number
ORDER BY b.gaming_day, b.table_number
