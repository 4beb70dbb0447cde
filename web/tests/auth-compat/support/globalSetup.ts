/** Vitest global setup: checks the prerequisites and lists what is missing. */
import ready from '../../../e2e/support/prerequisites';

export default function setup(): void {
  ready();
}
