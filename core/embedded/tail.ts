import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'

const tailBytes = 4096
const tailLines = 20
const largest = 16 * 1024 * 1024

/**
 * A file that takes a program's output directly, so that nothing stands between the two; emptied when a launch finds
 * it above 16 MiB. Mode 0600.
 */
export function logFile(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return {
    /** A descriptor to hand to the program; the caller closes it after the launch. */
    open(): number {
      const descriptor = openSync(path, 'a', 0o600)
      if (fstatSync(descriptor).size <= largest) return descriptor
      closeSync(descriptor)
      return openSync(path, 'w', 0o600)
    },
    tail: () => lastLines(path),
  }
}

function lastLines(path: string): string {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, tailBytes))
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString().trimEnd().split('\n').slice(-tailLines).join('\n')
  } finally {
    closeSync(descriptor)
  }
}
