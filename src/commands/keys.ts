import type { Command } from 'commander'
import type { PlanId } from '../../catalog/dataset.ts'
import { PLAN_IDS } from '../../catalog/plans.ts'
import { openControl } from '../accounts/open.ts'
import { taipei } from '../core/clock.ts'
import { readConfig } from '../core/config.ts'
import { loadSecrets } from '../core/secrets.ts'
import { EXIT, printJson } from './terminal.ts'

/** `twmd keys create`: an API key for an account, made on the spot. The secret is printed once. */
export function keysCommand(program: Command, leave: (code: number) => void): void {
  program
    .command('keys')
    .description('API keys')
    .command('create')
    .description('create an API key for an e-mail address, on a plan')
    .requiredOption('--email <address>', 'owner of the key; an account is made when there is none')
    .requiredOption('--plan <plan>', `one of ${PLAN_IDS.join(', ')}; sets the account's plan`)
    .option('--name <name>', 'what the key is for', 'cli')
    .option('--json', 'print one JSON document')
    .action((options: { email: string; plan: string; name: string; json?: true }) => {
      const mistake = mistakeIn(options)
      if (mistake) {
        console.error(mistake)
        return leave(EXIT.misused)
      }
      const config = readConfig(process.env)
      const control = openControl(config, loadSecrets(config))
      const now = taipei(new Date())
      const account = control.accounts.ensure(options.email, options.plan as PlanId, now)
      const { keyId, secret } = control.keys.issue(account.id, options.name, now)
      control.close()
      if (options.json) printJson({ account_id: account.id, key_id: keyId, plan_id: account.planId, api_key: secret })
      else
        console.log(
          `${secret}\nKey ${keyId} of ${options.email} on plan ${options.plan}. It is shown this once; send it in the X-API-Key header.`,
        )
    })
}

function mistakeIn({ email, plan }: { readonly email: string; readonly plan: string }): string | undefined {
  if (!PLAN_IDS.includes(plan as PlanId)) return `--plan must be one of ${PLAN_IDS.join(', ')}; it was ${plan}.`
  if (!/^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$/.test(email)) return '--email must be one plain address, for example analyst@example.com.'
  return undefined
}
