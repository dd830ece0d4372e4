import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface BackupFigures {
  command: string
  processors: number
  passports: number
  passportsMadeMeanwhile: number
  rows: number
  files: number
  databaseBytes: number
  archiveBytes: number
  backupSeconds: number
  restoreSeconds: number
  credentialsVerified: number
}

const formatMegabytes = (bytes: number) => `${formatNumber(Math.round(bytes / 1_000_000))} MB`

/** The writers of figures of operators' commands, by the name of their file. */
export const operatorWriters: Record<string, (text: string) => string> = {
  backup: (text) => {
    const { command, processors, passports, rows, ...figures } = JSON.parse(text) as BackupFigures
    return `### Backup and restore of ${formatNumber(passports)} passports, on ${processors} processors\n\n${formatSource(command)} While passports were made, minted and claimed;
restored into another instance, where mints and claims went on.\n\n${formatTable(
      ['What', 'Result'],
      [
        [
          'Backup',
          `${figures.backupSeconds} s; ${formatNumber(figures.passportsMadeMeanwhile)} passports were made meanwhile by one client`,
        ],
        [
          'Archive',
          `${formatMegabytes(figures.archiveBytes)} of a database of ${formatMegabytes(figures.databaseBytes)}: ${formatNumber(rows)} rows and ${formatNumber(figures.files)} files`,
        ],
        ['Restore', `${figures.restoreSeconds} s, with all indexes and the list of erased persons`],
        [
          'Credentials compared and verified, with their receipts',
          `${formatNumber(figures.credentialsVerified)} of ${formatNumber(figures.credentialsVerified)}`,
        ],
      ],
    )}`
  },
}
