import { ValueIssue } from '../transforms/index.ts'

/**
 * The maximum number of characters and values in one body; a passport holds less. One value of a file can go to
 * hundreds of destinations, and templates and concats repeat it, so that without this limit a small file could fill the
 * memory of a process.
 */
export const maxBodySize = 1024 * 1024

/**
 * The maximum number of characters and values that are read for one body, counted once more for each transform:
 * transforms keep a process busy.
 */
export const maxReadSize = 4 * maxBodySize

export const tooLargeIssue = new ValueIssue('too_large', 'makes the passport larger than 1 MiB')

/** Measures the size of a value in characters and values; stops counting above `maxSize`. */
export function measureSize(value: unknown, maxSize: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let size = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && size <= maxSize) {
    const one = waiting.pop()
    if (typeof one === 'string') size += one.length
    else size += 1
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) {
      if (size + one.length > maxSize) return maxSize + 1
      for (const each of one as unknown[]) waiting.push(each)
      continue
    }
    for (const [name, each] of Object.entries(one)) {
      size += name.length
      waiting.push(each)
    }
  }
  return size
}
