/** Axis ticks: zero and two to five round steps up to the maximum. */
export function scaleTicks(highest: number): number[] {
  if (highest <= 0) return [0, 1];
  const raw = highest / 4;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, size * ([1, 2, 2.5, 5, 10].find((n) => n * size >= raw) ?? 10));
  const whole = Math.max(1, Math.ceil(step));
  const ticks = [];
  for (let tick = 0; tick < highest + whole; tick += whole) ticks.push(tick);
  return ticks;
}
