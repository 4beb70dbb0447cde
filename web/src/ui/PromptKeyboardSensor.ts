import { KeyboardSensor, type KeyboardSensorProps } from '@dnd-kit/core';

/**
 * Keyboard sensor for dnd-kit, which listens for keys one task after lifting: a key in between (fast typing, assistive
 * technology) would be lost. This sensor delays it.
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
    // Capture phase, before React: the lifting Space is still propagating.
    window.addEventListener('keydown', keep, { capture: true });
    // After the listener of dnd-kit.
    setTimeout(() => {
      window.removeEventListener('keydown', keep, { capture: true });
      for (const event of early) event.target?.dispatchEvent(new KeyboardEvent('keydown', event));
    });
  }
}
