import { Fault } from './transforms.types.ts'

/**
 * Characters and values that one body can have together; a passport holds less. One value of a file can go to hundreds
 * of destinations, and templates and concats repeat it, so that a small file would else fill the memory of a process.
 */
export const mostMade = 1024 * 1024

/** Characters and values that go through transforms for one body, once for each transform: they keep a process busy. */
export const mostRead = 4 * mostMade

export const tooMuch = new Fault('too_large', 'makes the passport larger than 1 MiB')

/** How large a value is; counted no further than past `most`. */
export function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let size = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && size <= most) {
    const one = waiting.pop()
    if (typeof one === 'string') size += one.length
    else size += 1
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) {
      if (size + one.length > most) return most + 1
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
