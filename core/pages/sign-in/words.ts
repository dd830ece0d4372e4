import type { ProviderFailure } from '../../features/identity/index.ts'
import type { Language } from '../../kernel/text/languages.ts'

/** The texts of the page that people see who come back from a provider and are not signed in. */
interface CallbackWords {
  title: string
  failures: Readonly<Record<ProviderFailure, string>>
  again: string
}

export const callbackWords: Record<Language, CallbackWords> = {
  en: {
    title: 'You are not signed in',
    failures: {
      ended: 'This sign-in was used already, has expired, or was begun in another browser. Please begin once more.',
      refused: 'The answer that came back does not prove who you are. Please begin once more.',
      unproven: 'Your e-mail address is not confirmed there yet. Confirm it first, or sign in another way.',
      unavailable: 'The service that you wanted to sign in with does not answer. Try again later, or another way.',
      notEnabled: 'This way to sign in is no longer offered here. Please use another one.',
    },
    again: 'Back to the sign-in',
  },
  fr: {
    title: 'Vous n’êtes pas connecté',
    failures: {
      ended:
        'Cette connexion a déjà servi, a expiré ou a été commencée dans un autre navigateur. Veuillez recommencer.',
      refused: 'La réponse reçue ne prouve pas qui vous êtes. Veuillez recommencer.',
      unproven:
        'Votre adresse e-mail n’y est pas encore confirmée. Confirmez-la d’abord, ou connectez-vous d’une autre façon.',
      unavailable: 'Le service choisi pour la connexion ne répond pas. Réessayez plus tard, ou d’une autre façon.',
      notEnabled: 'Cette façon de se connecter n’est plus proposée ici. Veuillez en choisir une autre.',
    },
    again: 'Retour à la connexion',
  },
}
