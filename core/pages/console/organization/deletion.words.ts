import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the page before an organization is deleted. */
interface DeletionWords {
  title: (name: string) => string
  /** What will happen, sentence by sentence. */
  consequences: (days: number) => readonly string[]
  name: string
  nameHint: (name: string) => string
  differs: string
  button: string
}

const english: DeletionWords = {
  title: (name) => `Delete ${name}?`,
  consequences: (days) => [
    'All API keys end at once, for good. Members cannot work for it any more, and buyers are signed out.',
    'Jobs stop, and open invitations are withdrawn. Nothing new can be made, and nobody can sign in to its applications.',
    'Public passports, their credentials, the status of these and the links on products go on answering.',
    `For ${days} days an owner can restore it, on the page of their organizations. New keys are needed then.`,
    'After that, personal data is erased for good: members, invitations, accounts, contacts, imported files and secrets.',
  ],
  name: 'Name of the organization',
  nameHint: (name) => `Type ${name}, to be sure.`,
  differs: 'is not the name of this organization',
  button: 'Delete the organization',
}

const french: DeletionWords = {
  title: (name) => `Supprimer ${name} ?`,
  consequences: (days) => [
    'Toutes les clés API prennent fin aussitôt, définitivement. Les membres ne peuvent plus travailler pour elle, et les acheteurs sont déconnectés.',
    'Les tâches s’arrêtent et les invitations en cours sont annulées. Rien de nouveau ne peut être créé, et personne ne peut se connecter à ses applications.',
    'Les passeports publics, leurs certificats, l’état de ceux-ci et les liens sur les produits restent consultables.',
    `Pendant ${days} jours, un propriétaire peut la restaurer, sur la page de ses organisations. Il faudra alors de nouvelles clés.`,
    'Ensuite, les données personnelles sont effacées définitivement : membres, invitations, comptes, contacts, fichiers importés et secrets.',
  ],
  name: 'Nom de l’organisation',
  nameHint: (name) => `Écrivez ${name}, pour confirmer.`,
  differs: 'n’est pas le nom de cette organisation',
  button: 'Supprimer l’organisation',
}

/** The texts of the page in each language. */
export const deletionWords: Record<ConsoleLanguage, DeletionWords> = { en: english, fr: french }
