export const pit = {};
