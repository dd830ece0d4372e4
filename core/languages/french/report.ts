import type { ReportWords } from '../words.types.ts'

export const report: ReportWords = {
  title: (name) => `Signaler\u00a0: ${name}`,
  head: 'Signaler quelque chose sur ce produit',
  intro: (organization) =>
    `Ce que vous écrivez est transmis à ${organization}, qui a publié ce passeport, et à personne d’autre.`,
  kind: 'De quoi s’agit-il\u00a0?',
  kinds: {
    fake: 'Le produit est peut-être une contrefaçon',
    stolen: 'Il a été volé',
    defect: 'Il a un défaut ou il est dangereux',
    other: 'Autre chose',
  },
  text: 'Qu’avez-vous constaté\u00a0?',
  textUse: 'Où, quand, et ce qui ne va pas. 2\u202f000 caractères au plus.',
  email: 'Votre adresse e-mail, si l’on peut vous poser des questions',
  emailUse: (organization) => `${organization} la voit avec votre signalement. Laissez vide pour rester anonyme.`,
  button: 'Envoyer le signalement',
  wrong: {
    kind: 'Choisissez de quoi il s’agit.',
    text: 'Écrivez ce que vous avez constaté, en 2\u202f000 caractères au plus.',
    email: 'Ce n’est pas une adresse e-mail. Corrigez-la, ou laissez le champ vide.',
  },
  tooMany: 'Trop de signalements sont arrivés en peu de temps. Réessayez plus tard.',
  sent: {
    head: 'Merci',
    text: (organization) =>
      `Votre signalement est parvenu à ${organization}. Vous ne recevrez pas de réponse de notre part.`,
  },
  back: 'Retour au passeport',
}
