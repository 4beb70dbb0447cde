import { KeyboardSensor, type KeyboardSensorProps } from '@dnd-kit/core';

/**
 * dnd-kit hears keys only from the task after the one in which it lifts: a key that comes in between, from quick fingers
 * or from an assistive program, would be lost. Here it waits for that task.
 */
export class PromptKeyboardSensor extends KeyboardSensor {
  constructor(props: KeyboardSensorProps) {
    super(props);
    const early: KeyboardEvent[] = [];
    const keep = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      early.push(event);
    };
    // Before React hears of it, too: the Space that lifts is on its way through the page already.
    window.addEventListener('keydown', keep, { capture: true });
    // Behind dnd-kit's own.
    setTimeout(() => {
      window.removeEventListener('keydown', keep, { capture: true });
      for (const event of early) event.target?.dispatchEvent(new KeyboardEvent('keydown', event));
    });
  }
}
