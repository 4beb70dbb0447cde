/** Before the first test: what is missing is named once, in a sentence, and nothing is started. */
import ready from '../../../e2e/support/prerequisites';

export default function setup(): void {
  ready();
}
