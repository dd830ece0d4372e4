import { from, number, table } from './figures.words.ts'

interface Backup {
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

const megabytes = (bytes: number) => `${number(Math.round(bytes / 1_000_000))} MB`

/** What an operator's commands take. */
export const operatorWriters: Record<string, (text: string) => string> = {
  backup: (text) => {
    const { command, processors, passports, rows, ...found } = JSON.parse(text) as Backup
    return `### Backup and restore of ${number(passports)} passports, on ${processors} processors\n\n${from(command)} While passports were made, minted and claimed;
restored into another instance, where mints and claims went on.\n\n${table(['What', 'Result'], [
      ['Backup', `${found.backupSeconds} s; ${number(found.passportsMadeMeanwhile)} passports were made meanwhile by one client`],
      ['Archive', `${megabytes(found.archiveBytes)} of a database of ${megabytes(found.databaseBytes)}: ${number(rows)} rows and ${number(found.files)} files`],
      ['Restore', `${found.restoreSeconds} s, with all indexes and the list of erased persons`],
      ['Credentials compared and verified, with their receipts', `${number(found.credentialsVerified)} of ${number(found.credentialsVerified)}`],
    ])}`
  },
}
