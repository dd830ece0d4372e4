import { from, number, table } from './figures.words.ts'

interface Bytes { rows: number; heap: number; toast: number; indexes: number; all: number }
interface Measured { passport: Bytes; event: Bytes }
interface Sizes extends Measured { command: string; before: Measured & { commit: string } }

const row = (what: string, { rows, heap, toast, indexes, all }: Bytes) =>
  [what, number(rows), number(heap + toast), number(indexes), number(all)]

/** What is stored of a passport and of an event, and by what it is found. */
export const sizeWriters: Record<string, (text: string) => string> = {
  sizes: (text) => {
    const { command, before, passport, event } = JSON.parse(text) as Sizes
    return `### Bytes of a passport and of an event\n\n${from(command)} Stored by the API alone: files, sheets, the product flow; published, certified, minted,
claimed, scanned; then every filter and order of every list. Before is ${before.commit}. What each index
weighs and how often it was used is kept beside it.\n\n${table(['What', 'Rows', 'Table', 'Indexes', 'Bytes of one'], [
  row('A passport, before', before.passport), row('A passport', passport), row('An event, before', before.event), row('An event', event),
])}`
  },
}
