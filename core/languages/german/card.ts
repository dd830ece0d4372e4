import type { CardWords } from '../words.types.ts'

export const card: CardWords = {
  description: (program) => `Kundenkarte von ${program}`,
  member: 'Mitgliedsnummer',
  news: 'Neuigkeiten',
  noNews: 'Noch nichts Neues.',
}
