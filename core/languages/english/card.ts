import type { CardWords } from '../words.types.ts'

export const card: CardWords = {
  description: (program) => `Loyalty card of ${program}`,
  member: 'Member number',
  news: 'News',
  noNews: 'Nothing new yet.',
}
