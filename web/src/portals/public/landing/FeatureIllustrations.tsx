/** Feature illustrations: line drawings in the border and accent color. */
import type { ReactNode } from 'react';
import css from './Features.module.css';

function Illustration({ children }: { children: ReactNode }) {
  return (
    <svg className={css.lines} viewBox="0 0 280 140" fill="none" aria-hidden="true">
      {children}
    </svg>
  );
}

const bars = [34, 52, 44, 68, 60, 86, 104];

export function AnalyticsIllustration() {
  return (
    <Illustration>
      {[24, 54, 84].map((y) => (
        <path key={y} d={`M20 ${y}H260`} className={css.grid} />
      ))}
      {bars.map((height, index) => (
        <rect
          key={height}
          x={28 + index * 33}
          y={124 - height}
          width="18"
          height={height}
          rx="2"
          className={index === bars.length - 1 ? css.accent : css.shape}
        />
      ))}
      <path d="M20 124.5H260" className={css.strong} />
    </Illustration>
  );
}

export function DocumentsIllustration() {
  return (
    <Illustration>
      <rect x="126" y="12.5" width="84" height="108" rx="5" className={css.shape} />
      <rect x="108" y="18.5" width="84" height="108" rx="5" className={css.shape} />
      <rect x="90" y="24.5" width="84" height="108" rx="5" className={css.sheet} />
      <path d="M104 46.5H142M104 60.5H160M104 74.5H160M104 88.5H150" className={css.strong} />
      <rect x="104" y="106" width="32" height="14" rx="3" className={css.accent} />
      <path d="M111 111l3 5 3-5M122 112l2.5-1.5V116" className={css.onAccent} />
      <path d="M186 44.5H220M204 34.5H238" className={css.grid} />
    </Illustration>
  );
}

const corners = [
  [36, 20],
  [192, 20],
  [36, 92],
  [192, 92],
] as const;

export function AccessIllustration() {
  return (
    <Illustration>
      <path
        d="M140 70.5L62 34.5M140 70.5L218 34.5M140 70.5L62 106.5M140 70.5L218 106.5"
        className={css.grid}
      />
      {corners.map(([x, y]) => (
        <g key={`${x}-${y}`}>
          <rect x={x} y={y} width="52" height="28" rx="5" className={css.sheet} />
          <circle cx={x + 14} cy={y + 14} r="4" className={css.strong} />
          <path d={`M${x + 25} ${y + 14}h16`} className={css.strong} />
        </g>
      ))}
      <rect x="118" y="48" width="44" height="44" rx="8" className={css.accent} />
      <path d="M134 70h12v9h-12zM136 70v-3a4 4 0 0 1 8 0v3" className={css.onAccent} />
    </Illustration>
  );
}
