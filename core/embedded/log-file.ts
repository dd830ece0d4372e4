import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'

const maxTailBytes = 4096
const maxTailLines = 20
const maxLogBytes = 16 * 1024 * 1024

/**
 * Creates a log file that receives a program's output directly, so that no other process handles the output. The file
 * has mode 0600, and is emptied when a launch finds it above 16 MiB.
 */
export function createLogFile(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return {
    /** Opens a descriptor to hand to the program. The caller closes the descriptor after the launch. */
    open(): number {
      const descriptor = openSync(path, 'a', 0o600)
      if (fstatSync(descriptor).size <= maxLogBytes) return descriptor
      closeSync(descriptor)
      return openSync(path, 'w', 0o600)
    },
    tail: () => readLastLines(path),
  }
}

function readLastLines(path: string): string {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, maxTailBytes))
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString().trimEnd().split('\n').slice(-maxTailLines).join('\n')
  } finally {
    closeSync(descriptor)
  }
}
