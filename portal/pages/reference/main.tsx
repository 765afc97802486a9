import '../../frame/main.tsx'
import '../../style/docs.css'
import { filterLists } from './filter.ts'
import { runForms } from './try.ts'

filterLists()
runForms()
