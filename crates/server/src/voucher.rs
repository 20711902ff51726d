//! Vouchers at the edge: their numbers, how they look, and how they are printed. The machines never see a full number (F42).
