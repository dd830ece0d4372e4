import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface StoredBytes {
  rows: number
  heap: number
  toast: number
  indexes: number
  all: number
}
interface SizeMeasurement {
  passport: StoredBytes
  event: StoredBytes
}
interface SizeFigures extends SizeMeasurement {
  command: string
  before: SizeMeasurement & { commit: string }
}

const createRow = (what: string, { rows, heap, toast, indexes, all }: StoredBytes) => [
  what,
  formatNumber(rows),
  formatNumber(heap + toast),
  formatNumber(indexes),
  formatNumber(all),
]

/**
 * The writers of figures about the stored bytes of a passport and an event and of their indexes, by the name of their
 * file.
 */
export const sizeWriters: Record<string, (text: string) => string> = {
  sizes: (text) => {
    const { command, before, passport, event } = JSON.parse(text) as SizeFigures
    return `### Bytes of a passport and of an event\n\n${formatSource(command)} Stored by the API alone: files, sheets, the product flow; published, certified, minted,
claimed, scanned; then every filter and order of every list. Before is ${before.commit}. What each index
weighs and how often it was used is kept beside it.\n\n${formatTable(
      ['What', 'Rows', 'Table', 'Indexes', 'Bytes of one'],
      [
        createRow('A passport, before', before.passport),
        createRow('A passport', passport),
        createRow('An event, before', before.event),
        createRow('An event', event),
      ],
    )}`
  },
}
