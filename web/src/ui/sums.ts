export interface Sum {
  amount: string;
  currency: string;
}

/** The sums that have money, the preferred currency first; one zero in that currency if none has. */
export function sumsWithMoney(sums: Sum[], preferred: string): Sum[] {
  const held = sums
    .filter(({ amount }) => Number(amount) !== 0)
    .toSorted((a, b) => Number(b.currency === preferred) - Number(a.currency === preferred));
  return held.length > 0 ? held : [{ amount: '0', currency: preferred }];
}
