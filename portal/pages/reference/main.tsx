import '../../frame/main.tsx'
import '../../style/docs.css'
import { addCopyButtons, showCurrent } from './copy-code.tsx'
import { filterLists } from './filter.ts'
import { runForms } from './try.ts'

filterLists()
runForms()
addCopyButtons()
showCurrent()
