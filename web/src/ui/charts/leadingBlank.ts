/** Values of one point of a chart. */
interface Point {
  values: (number | null)[];
  before?: { value: number | null };
}

const isBlank = ({ values, before }: Point) => values.every((value) => !value) && !before?.value;

/**
 * Number of points to leave out at the start of a chart: those before the first figure, but for one, so that a line
 * begins at zero. A chart keeps three points.
 */
export function leadingBlank(points: Point[]): number {
  const first = points.findIndex((point) => !isBlank(point));
  return Math.max(0, Math.min(first - 1, points.length - 3));
}
