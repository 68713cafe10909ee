// SPDX-License-Identifier: Apache-2.0
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#2f55b8" />
      <path d="M7 16h5m8 0h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="16" cy="16" r="4.2" fill="none" stroke="#fff" strokeWidth="3" />
    </svg>
  );
}
