const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/**
 * Functions without access to files, settings or the session. Their results cannot become very
 * large.
 */
const ALLOWED = words(`
  + - * / // % ^ ** & | ~ << >> || @ && <@ @> ^@ ->> ~~ !~~ ~~* !~~* ~~~ xor !__postfix
  like_escape not_like_escape ilike_escape not_ilike_escape
  abs add subtract multiply divide mod fdiv fmod ceil ceiling floor round round_even roundbankers trunc even
  sign signbit sqrt cbrt exp ln log log2 log10 pow power pi sin cos tan cot asin acos atan atan2 sinh cosh tanh
  asinh acosh atanh degrees radians gcd lcm greatest_common_divisor least_common_multiple factorial gamma lgamma
  nextafter isnan isinf isfinite greatest least bit_count bit_position
  nullif
  ascii ord unicode chr lower lcase upper ucase trim ltrim rtrim left right left_grapheme right_grapheme length len
  strlen char_length character_length length_grapheme octet_length bit_length substr substring substring_grapheme
  position instr strpos contains starts_with ends_with prefix suffix concat concat_ws replace translate reverse
  split split_part str_split string_split string_to_array str_split_regex string_split_regex regexp_split_to_array
  regexp_matches regexp_full_match regexp_extract regexp_extract_all regexp_replace regexp_escape
  strip_accents nfc_normalize levenshtein editdist3 damerau_levenshtein hamming mismatches jaccard jaro_similarity
  jaro_winkler_similarity md5 sha1 sha256 hash hex unhex to_hex from_hex bin unbin to_base64 from_base64 base64
  url_encode url_decode encode decode array_to_string array_to_string_comma_default
  make_date make_time make_timestamp date_add date_sub datesub date_diff datediff date_part datepart date_trunc
  datetrunc day month year quarter week weekday weekofyear yearweek dayofweek dayofmonth dayofyear dayname
  monthname isodow isoyear decade century millennium era hour minute second millisecond microsecond nanosecond
  epoch epoch_ms epoch_us epoch_ns julian last_day days_in_month time_bucket strftime strptime try_strptime
  timezone to_timestamp to_days to_weeks to_months to_quarters to_years to_hours to_minutes to_seconds
  to_milliseconds to_microseconds to_decades to_centuries to_millennia normalized_interval
  list_value list_pack array_value array_extract list_extract list_element element_at array_slice list_slice
  array_length list_contains list_has array_contains array_has list_has_all array_has_all list_has_any
  array_has_any list_position list_indexof array_position array_indexof list_concat list_cat array_concat array_cat
  list_append list_prepend array_append array_prepend array_push_back array_push_front array_pop_back
  array_pop_front list_distinct array_distinct list_unique array_unique list_sort array_sort list_reverse_sort
  array_reverse_sort list_reverse array_reverse list_grade_up array_grade_up list_intersect array_intersect
  list_select array_select list_where array_where list_zip array_zip list_transform array_transform list_apply
  array_apply apply list_filter array_filter filter list_reduce array_reduce reduce flatten
  list_sum list_avg list_min list_max list_count list_median list_mode list_product list_first list_last
  list_any_value list_stddev_pop list_stddev_samp list_var_pop list_var_samp list_bool_and list_bool_or
  list_string_agg list_histogram list_cosine_similarity list_cosine_distance list_distance list_dot_product
  list_inner_product
  row struct_pack struct_extract struct_extract_at struct_insert struct_update struct_concat struct_keys
  struct_values struct_contains struct_position map map_keys map_values map_entries map_extract
  map_extract_value map_contains map_concat map_from_entries cardinality
  json_extract json_extract_string json_extract_path json_extract_path_text json_value json_exists json_contains
  json_array_length json_keys json_type json_valid json_structure to_json json_quote json_object json_array
  row_to_json array_to_json from_json json_transform json_merge_patch json_group_array json_group_object
  typeof unpivot_list constant_or_null
  any_value arbitrary approx_count_distinct approx_quantile approx_top_k arg_max arg_max_null arg_max_nulls_last
  arg_min arg_min_null arg_min_nulls_last argmax argmin max_by min_by array_agg list avg mean bit_and bit_or bit_xor
  bool_and bool_or corr count count_star count_if countif covar_pop covar_samp entropy favg first fsum group_concat
  histogram histogram_exact equi_width_bins kahan_sum kurtosis kurtosis_pop last listagg mad max median min mode
  product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
  regr_sxx regr_sxy regr_syy sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan
  var_pop var_samp variance geomean geometric_mean wavg weighted_avg
  cume_dist dense_rank rank_dense rank percent_rank row_number ntile lag lead first_value last_value nth_value fill
`)

export const FUNCTIONS: ReadonlySet<string> = new Set(ALLOWED)

export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(words('range generate_series unnest'))

/** Words that the engine runs as functions, even without parentheses. */
export const SESSION_WORDS: ReadonlySet<string> = new Set(
  words(`current_catalog current_date current_role current_schema current_time current_timestamp current_user
    localtime localtimestamp session_user user`),
)
