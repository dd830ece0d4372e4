import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts about the settings of assistants, on their page and where a key is shown. */
interface AssistantWords {
  title: string
  intro: string
  addressHead: string
  addressText: string
  keyHead: string
  keyText: string
  makeKey: string
  makeReadKey: string
  askForKey: string
  settingsHead: string
  settingsText: (placeholder: string) => string
  settingsTextWithKey: string
  forms: Record<'settings' | 'command' | 'request', string>
  formTexts: Record<'settings' | 'command' | 'request', string>
  demoHead: string
  demoText: string
  demoLink: string
}

const english: AssistantWords = {
  title: 'Assistant',
  intro:
    'An assistant that speaks MCP works with everything that the API has, with the permissions of the key that you give it. It asks before it does what cannot be undone.',
  addressHead: 'The address',
  addressText: 'The MCP server of this platform, over StreamableHTTP:',
  keyHead: 'A key of its own',
  keyText: 'Give each assistant its own key, so that you see what it did and can end it alone.',
  makeKey: 'Make a key for it',
  makeReadKey: 'or one that only reads',
  askForKey: 'An owner or an administrator makes the key and gives it to you.',
  settingsHead: 'Settings of the usual clients',
  settingsText: (placeholder) => `Replace ${placeholder} with the key.`,
  settingsTextWithKey: 'For an assistant, use one of these. They have the key in them already.',
  forms: { settings: 'Settings file', command: 'Command line', request: 'Any other client' },
  formTexts: {
    settings: 'For clients whose settings have “mcpServers”:',
    command: 'For an assistant in a terminal:',
    request: 'The address and the header that every request carries:',
  },
  demoHead: 'A demo without an assistant',
  demoText:
    'What an assistant prepares with the prompt prepare_demo_environment, you can have made here, and taken away again.',
  demoLink: 'Demo environment',
}

const french: AssistantWords = {
  title: 'Assistant',
  intro:
    'Un assistant qui parle MCP travaille avec tout ce qu’offre l’API, avec les permissions de la clé que vous lui donnez. Il demande avant de faire ce qui est irréversible.',
  addressHead: 'L’adresse',
  addressText: 'Le serveur MCP de cette plateforme, par StreamableHTTP :',
  keyHead: 'Une clé à lui',
  keyText: 'Donnez à chaque assistant sa propre clé : vous verrez ce qu’il a fait et pourrez y mettre fin séparément.',
  makeKey: 'Lui créer une clé',
  makeReadKey: 'ou une clé qui ne fait que lire',
  askForKey: 'Un propriétaire ou un administrateur crée la clé et vous la donne.',
  settingsHead: 'Réglages des clients habituels',
  settingsText: (placeholder) => `Remplacez ${placeholder} par la clé.`,
  settingsTextWithKey: 'Pour un assistant, utilisez l’un de ces réglages. Ils contiennent déjà la clé.',
  forms: { settings: 'Fichier de réglages', command: 'Ligne de commande', request: 'Tout autre client' },
  formTexts: {
    settings: 'Pour les clients dont les réglages ont « mcpServers » :',
    command: 'Pour un assistant dans un terminal :',
    request: 'L’adresse et l’en-tête de chaque requête :',
  },
  demoHead: 'Une démonstration sans assistant',
  demoText:
    'Ce qu’un assistant prépare avec l’invite prepare_demo_environment, vous pouvez le faire créer ici, puis le retirer.',
  demoLink: 'Environnement de démonstration',
}

/** The texts about the settings of assistants in each language. */
export const assistantWords: Record<ConsoleLanguage, AssistantWords> = { en: english, fr: french }
