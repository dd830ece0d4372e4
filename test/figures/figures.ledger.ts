import { formatNumber, formatSource, formatTable } from './figures.format.ts'

interface LedgerModelFigures {
  command: string
  seed: number
  operations: number
  entries: number
  owners: number
  transactions: number
  crashes: number
  crashesAborted: number
  crashesCommitted: number
  balancesComparedAfterCrashes: number
  replays: number
  differences: number
  seconds: number
  counts: Record<string, number>
}

/** The writers of figures about the ledger, by the name of their file. */
export const ledgerWriters: Record<string, (text: string) => string> = {
  'ledger-model': (text) => {
    const figures = JSON.parse(text) as LedgerModelFigures
    const { command, seed, operations, owners, transactions, crashes, crashesAborted, crashesCommitted } = figures
    return `### ${formatNumber(operations)} random operations of the ledger beside a plain model, seed ${seed}\n\n${formatSource(command)} ${formatNumber(transactions)} transactions of ${owners} owners in ${formatNumber(figures.seconds)} s; ${formatNumber(crashes)} of them lost their connection at a random moment (${formatNumber(crashesAborted)} aborted, ${formatNumber(crashesCommitted)} committed), and all balances, lots and holds were compared after each: ${formatNumber(figures.balancesComparedAfterCrashes)} comparisons. ${figures.replays} replays of all entries, ${formatNumber(figures.entries)} at the end, found ${figures.differences} differences.\n\n${formatTable(
      ['What happened', 'Times'],
      Object.entries(figures.counts).map(([what, times]) => [what, formatNumber(times)]),
    )}`
  },
}
