# Reads institutional trades into R data frames.
# usage: Rscript examples/r/frames.R 2330
# needs: install.packages(c("arrow", "httr2", "jsonlite"))

library(arrow, warn.conflicts = FALSE)
library(httr2)

base <- Sys.getenv("TWMD_URL", "http://127.0.0.1:8080")
key <- Sys.getenv("TWMD_API_KEY")
if (key == "") key <- jsonlite::fromJSON("data/demo.json")$keys$pro
dataset <- "/v2/datasets/institutional-positioning"
columns <- "trade_date,foreign_net_buy,institutional_net_buy_total"

# Returns a response. An error response ends the program.
get <- function(path, ...) {
  answer <- request(if (startsWith(path, "http")) path else paste0(base, path)) |>
    req_url_query(...) |>
    req_headers("X-API-Key" = key) |>
    req_error(is_error = function(response) FALSE) |>
    req_perform()
  if (resp_status(answer) >= 400) {
    message(resp_body_json(answer)$error$error_message)
    quit(status = 1)
  }
  answer
}

# Days become Date, missing values NA. Large integers become doubles, exact up to 2^53, because
# pages with integer64 columns cannot always be combined.
frame <- function(answer) {
  rows <- as.data.frame(read_ipc_stream(resp_body_raw(answer)))
  rows[] <- lapply(rows, function(column) if (inherits(column, "integer64")) as.numeric(column) else column)
  rows
}

# Returns all pages of a read in one data frame. All pages come from one release.
pages <- function(path, ...) {
  answer <- get(path, ...)
  frames <- list(frame(answer))
  while (!is.null(following <- resp_link_url(answer, "next"))) {
    answer <- get(following)
    frames <- append(frames, list(frame(answer)))
  }
  do.call(rbind, frames)
}

show <- function(rows) print(rows, row.names = FALSE)

options(scipen = 20, digits = 15)
symbol <- commandArgs(trailingOnly = TRUE)[1]
newest <- frame(get(dataset, symbol = symbol, limit = 50, columns = columns, format = "arrow"))
cat(symbol, ": newest ", nrow(newest), " days\n", sep = "")
if (nrow(newest) == 0) quit()
show(head(newest, 5))

last <- format(max(newest$trade_date))
day <- frame(get(paste0(dataset, "/cross-section"), date = last, columns = paste0("ticker,", columns), format = "arrow"))
cat("\n", last, ": ", nrow(day), " tickers, most bought first\n", sep = "")
show(head(day[order(-day$institutional_net_buy_total), ], 5))

# Every page is charged, so a larger limit costs less.
history <- pages(dataset, symbol = symbol, limit = 500, columns = columns, format = "arrow")
cat("\n", symbol, ": ", nrow(history), " days, by year\n", sep = "")
net_buy <- as.numeric(history$institutional_net_buy_total)
show(aggregate(list(net_buy = net_buy), list(year = format(history$trade_date, "%Y")), sum))
